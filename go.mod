module reckoner

go 1.26
