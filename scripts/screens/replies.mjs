// What the model answers in the scenes, as the fake server is told it. Says nothing of which scene wants what.

export const call = (name, args) => ({ name, arguments: args });
export const reading = (...paths) => paths.map((path) => call("read_file", { path }));
export const event = (delta, finish_reason = null) => ({ event: { choices: [{ index: 0, delta, finish_reason }] } });
/** An answer that is still being written at a gate. */
export const held = (text, gate = "end") => ({ steps: [event({ content: text }), { gate }, event({}, "stop"), { raw: "data: [DONE]\n\n" }] });
export const usage = (prompt_tokens, cached_tokens) => ({ prompt_tokens, completion_tokens: 160, total_tokens: prompt_tokens + 160, prompt_tokens_details: { cached_tokens } });
