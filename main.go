// Command reckoner is a desktop render queue for people who run ComfyUI on one
// or more GPU machines.
package main

func main() {}
