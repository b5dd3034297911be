// Everything the window knows, for the features that show it.
export { App, provideApp, useApp } from "./app.svelte";
export { Approvals, type Waiting } from "./approvals.svelte";
export { Conversation, type PhaseSince } from "./conversation.svelte";
export { Conversations } from "./conversations.svelte";
export { MemoryDraft } from "./memory-draft.svelte";
export { isCramped } from "./model";
export { Pictures } from "./pictures";
export { Message, type Writing } from "./message.svelte";
export { MessageSearch } from "./message-search.svelte";
export { type Queued } from "./queue";
export { Settings } from "./settings.svelte";
export { Steerings } from "./steering.svelte";
export { filled, hitRate, NOTHING, Spending } from "./spending.svelte";
export { UsageReporting } from "./usage-report.svelte";
export { ToolCall, type CallState, type LiveOutput } from "./tool-call.svelte";
export { type Summary } from "./summary";
export { type Item, type UserMessage } from "./item";
export { stepsOf } from "./todo";
