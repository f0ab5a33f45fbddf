package comfy

import "context"

// Free asks the server to unload its models and forget cached results. It does
// so once it is idle (comfyui-protocol, 1.11); no prompt is touched.
func (c *Client) Free(ctx context.Context) error {
	q := post("/free", []byte(`{"unload_models":true,"free_memory":true}`))
	return c.tell(ctx, q)
}
