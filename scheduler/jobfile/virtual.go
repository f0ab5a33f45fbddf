package jobfile

import "strings"

// primitiveClass is the page's node that holds a value for others.
const primitiveClass = "PrimitiveNode"

// isVirtual tells the nodes that exist on the page only: they hand a link on, or
// do nothing for a job.
func isVirtual(class string) bool {
	switch class {
	case primitiveClass, "Reroute", "Note", "MarkdownNote",
		"Reroute (rgthree)", "Label (rgthree)", "Bookmark (rgthree)", "Node Collector (rgthree)",
		"Fast Groups Muter (rgthree)", "Fast Groups Bypasser (rgthree)", "Fast Muter (rgthree)",
		"Fast Bypasser (rgthree)", "Fast Actions Button (rgthree)", "Mute / Bypass Repeater (rgthree)",
		"Mute / Bypass Relay (rgthree)", "Random Unmuter (rgthree)", "Note Plus (mtb)":
		return true
	}
	return isSetNode(class) || isGetNode(class)
}

// isSetNode and isGetNode tell the pairs of KJNodes and Easy-Use that link by
// name.
func isSetNode(class string) bool { return class == "SetNode" || class == "easy setNode" }

func isGetNode(class string) bool { return class == "GetNode" || class == "easy getNode" }

// isPageOnly tells the nodes whose scripts change other nodes when the page
// sends a job: without the page nobody knows what they would do.
func isPageOnly(class string) bool {
	return strings.HasPrefix(class, "Anything Everywhere") || strings.HasPrefix(class, "Prompts Everywhere") ||
		class == "Seed Everywhere" || class == "Simple String Everywhere"
}
