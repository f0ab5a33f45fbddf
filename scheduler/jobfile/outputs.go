package jobfile

import "strings"

// outputs gives the nodes whose results a server returns, in the graph's order:
// those of a class that is known to, and those that may. A server knows its
// classes (OUTPUT_NODE); a file does not say, so a class that was never heard of
// counts as doubtful when it takes something and nothing takes from it.
func (x index) outputs() (known, doubtful []int) {
	for i, n := range x.nodes {
		switch {
		case isOutputClass(n.Class):
			known = append(known, i)
		case len(x.consumers[i]) == 0 && len(x.sources[i]) > 0 && !isInnerClass(n.Class):
			doubtful = append(doubtful, i)
		}
	}
	return known, doubtful
}

// isOutputClass tells whether a class is an output by ComfyUI 0.3.64 and 0.27.0
// (output_node in their object_info), by widely used packs, or by a name that
// says so.
func isOutputClass(class string) bool {
	switch class {
	case "PreviewAny", "SaveImageWebsocket", "MaskPreview", "MaskPreview+", "ImageCompare", "LossGraphNode",
		"CLIPSave", "VAESave", "LoraSave", "ModelSave", "CheckpointSave", "ImageOnlyCheckpointSave",
		"CreateBoundingBoxes", "SAM3_TrackPreview",
		"TripoTextToModelNode", "TripoImageToModelNode", "TripoMultiviewToModelNode", "TripoTextureNode",
		"TripoRefineNode", "TripoRigNode", "TripoRetargetNode", "TripoConversionNode",
		"MeshyTextToModelNode", "MeshyImageToModelNode", "MeshyMultiImageToModelNode", "MeshyRefineNode",
		"MeshyRigModelNode", "MeshyAnimateModelNode", "MeshyTextureNode",
		"TencentTextToModelNode", "TencentImageToModelNode",
		"VHS_VideoCombine", "ADE_AnimateDiffCombine", "KSampler (Efficient)", "KSampler Adv. (Efficient)",
		"KSampler SDXL (Eff.)", "ConsoleDebug+", "Image Comparer (rgthree)", "Display Any (rgthree)",
		"Display Int (rgthree)", "Image Save", "ShowText|pysssss", "ImageAndMaskPreview":
		return true
	}
	return strings.HasPrefix(class, "Save") || strings.HasPrefix(class, "Preview") ||
		strings.HasSuffix(class, "SaveImage") || strings.HasSuffix(class, "VideoCombine")
}

// innerWords are parts of class names that do work for others and never end a
// graph: a sink of such a class is left over, not an output.
var innerWords = [...]string{
	"Loader", "TextEncode", "Sampler", "Scheduler", "Guider", "VAEDecode", "VAEEncode", "Latent",
	"Conditioning", "Primitive", "Reroute", "ControlNetApply", "RandomNoise", "ToVideo", "ImageScale", "Sigmas",
}

func isInnerClass(class string) bool {
	for _, w := range innerWords {
		if strings.Contains(class, w) {
			return true
		}
	}
	return strings.HasPrefix(class, "Load") || strings.HasPrefix(class, "Empty")
}
