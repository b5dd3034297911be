// Generated from the Rust crate `protocol`. Don't edit; run `npm run types`.
import type { Attachment, CallId, ContextReport, ConversationId, ConversationRow, Delivery, ExportFormat, HistoryPage, ItemId, KeyPlace, KnownModel, Limits, Memory, MemoryText, MessageId, Mode, ModelChoice, OfferedModel, Opened, OutputPage, Overview, PendingRow, Preset, ProjectId, ProjectRow, Provider, ProviderId, ProviderTest, QuestionRow, Replayed, RequestId, Rule, Scope, SearchResults, Settings, Sha, SkillList, Standing, Steering, SymbolHit, TrustedContent, TrustedFile, UsageOfRequest, UsageReport } from "./index";

export interface Methods {
  overview: { params: Record<string, never>; result: Overview };
  open_folder: { params: { path: string; allow_home: boolean }; result: ProjectRow };
  rename_project: { params: { project: ProjectId; name: string }; result: null };
  remove_project: { params: { project: ProjectId }; result: null };
  locate_project: { params: { project: ProjectId; path: string }; result: ProjectRow };
  create_conversation: { params: { project: ProjectId | null }; result: ConversationRow };
  open: { params: { conversation: ConversationId }; result: Opened };
  history: { params: { conversation: ConversationId; before: number }; result: HistoryPage };
  after: { params: { conversation: ConversationId; seq: number }; result: HistoryPage };
  standing: { params: { conversation: ConversationId }; result: Standing };
  send: { params: { conversation: ConversationId; text: string; delivery: Delivery; reject: boolean; attachments: Array<Attachment> }; result: null };
  attach: { params: { conversation: ConversationId; name: string; data: string }; result: Attachment };
  attachment: { params: { conversation: ConversationId; hash: Sha }; result: string };
  edit_queued: { params: { conversation: ConversationId; item: ItemId; text: string }; result: null };
  withdraw_queued: { params: { conversation: ConversationId; item: ItemId }; result: null };
  move_queued: { params: { conversation: ConversationId; item: ItemId; before: ItemId | null }; result: null };
  redeliver_queued: { params: { conversation: ConversationId; item: ItemId; delivery: Delivery }; result: null };
  save_draft: { params: { conversation: ConversationId; text: string }; result: null };
  save_draft_attachments: { params: { conversation: ConversationId; attachments: Array<Attachment> }; result: null };
  mark_read: { params: { conversation: ConversationId }; result: null };
  approve: { params: { call: CallId; digest: Sha; scope: Scope; note: string | null }; result: null };
  reject: { params: { call: CallId; note: string | null }; result: null };
  revoke_rule: { params: { conversation: ConversationId; rule: Rule }; result: null };
  answer_question: { params: { call: CallId; text: string }; result: null };
  questions: { params: Record<string, never>; result: Array<QuestionRow> };
  inbox: { params: Record<string, never>; result: Array<PendingRow> };
  stop: { params: { conversation: ConversationId }; result: null };
  continue_turn: { params: { conversation: ConversationId }; result: null };
  compact: { params: { conversation: ConversationId; instructions: string | null }; result: null };
  context: { params: { conversation: ConversationId }; result: ContextReport };
  keep_discarded: { params: { conversation: ConversationId; request: RequestId }; result: null };
  set_mode: { params: { conversation: ConversationId; mode: Mode }; result: null };
  set_model: { params: { conversation: ConversationId; choice: ModelChoice }; result: null };
  set_fallbacks: { params: { conversation: ConversationId; choices: Array<ModelChoice> }; result: null };
  set_limits: { params: { conversation: ConversationId; limits: Limits }; result: null };
  rename: { params: { conversation: ConversationId; title: string }; result: null };
  archive: { params: { conversation: ConversationId; archived: boolean }; result: null };
  delete: { params: { conversation: ConversationId }; result: null };
  restore: { params: { conversation: ConversationId }; result: null };
  clear: { params: { conversation: ConversationId }; result: ConversationRow };
  fork: { params: { conversation: ConversationId; seq: number }; result: ConversationRow };
  resend: { params: { conversation: ConversationId; message: MessageId; text: string; attachments: Array<Attachment> }; result: ConversationRow };
  revert: { params: { call: CallId }; result: null };
  resolve: { params: { call: CallId; done: boolean }; result: null };
  check_again: { params: { call: CallId }; result: boolean };
  memory: { params: { project: ProjectId | null }; result: Memory };
  save_memory: { params: { project: ProjectId | null; text: string; before: Sha | null }; result: MemoryText };
  output: { params: { call: CallId; offset: number; length: number }; result: OutputPage };
  replay: { params: { conversation: ConversationId; request: RequestId }; result: Replayed };
  export: { params: { conversation: ConversationId; format: ExportFormat }; result: string };
  import: { params: { project: ProjectId | null; text: string }; result: ConversationRow };
  models: { params: Record<string, never>; result: Array<OfferedModel> };
  presets: { params: Record<string, never>; result: Array<Preset> };
  known_models: { params: { base_url: string; models: Array<string> }; result: Array<KnownModel> };
  save_provider: { params: { provider: Provider }; result: null };
  remove_provider: { params: { provider: ProviderId }; result: null };
  set_key: { params: { provider: ProviderId; key: string }; result: KeyPlace };
  key_place: { params: { provider: ProviderId }; result: KeyPlace };
  test_provider: { params: { provider: Provider; key: string | null }; result: ProviderTest };
  save_settings: { params: { settings: Settings }; result: null };
  usage: { params: { bounds: Array<number> }; result: UsageReport };
  usage_requests: { params: { conversation: ConversationId }; result: Array<UsageOfRequest> };
  search: { params: { query: string; limit: number }; result: SearchResults };
  complete_path: { params: { conversation: ConversationId; typed: string }; result: Array<string> };
  complete_symbol: { params: { conversation: ConversationId; typed: string }; result: Array<SymbolHit> };
  skills: { params: { conversation: ConversationId }; result: SkillList };
  steering: { params: { project: ProjectId }; result: Steering };
  trust: { params: { project: ProjectId; files: Array<TrustedContent> }; result: null };
  trusted: { params: Record<string, never>; result: Array<TrustedFile> };
  distrust: { params: { root: string; paths: Array<string> }; result: null };
  refresh_prompt: { params: { conversation: ConversationId }; result: boolean };
}

export const methods = [
  "overview",
  "open_folder",
  "rename_project",
  "remove_project",
  "locate_project",
  "create_conversation",
  "open",
  "history",
  "after",
  "standing",
  "send",
  "attach",
  "attachment",
  "edit_queued",
  "withdraw_queued",
  "move_queued",
  "redeliver_queued",
  "save_draft",
  "save_draft_attachments",
  "mark_read",
  "approve",
  "reject",
  "revoke_rule",
  "answer_question",
  "questions",
  "inbox",
  "stop",
  "continue_turn",
  "compact",
  "context",
  "keep_discarded",
  "set_mode",
  "set_model",
  "set_fallbacks",
  "set_limits",
  "rename",
  "archive",
  "delete",
  "restore",
  "clear",
  "fork",
  "resend",
  "revert",
  "resolve",
  "check_again",
  "memory",
  "save_memory",
  "output",
  "replay",
  "export",
  "import",
  "models",
  "presets",
  "known_models",
  "save_provider",
  "remove_provider",
  "set_key",
  "key_place",
  "test_provider",
  "save_settings",
  "usage",
  "usage_requests",
  "search",
  "complete_path",
  "complete_symbol",
  "skills",
  "steering",
  "trust",
  "trusted",
  "distrust",
  "refresh_prompt",
] as const satisfies (keyof Methods)[];

export const kinds = [
  "conversation/created",
  "title/set",
  "conversation/archived",
  "model/set",
  "fallbacks/set",
  "provider/switched",
  "mode/set",
  "limits/set",
  "prompt/set",
  "memory/set",
  "tools/set",
  "user/message",
  "turn/start",
  "turn/stop",
  "turn/end",
  "iteration/start",
  "iteration/end",
  "request/sent",
  "request/failed",
  "assistant/chunk",
  "assistant/message",
  "assistant/discarded",
  "tool/call",
  "approval/requested",
  "approval/decided",
  "rule/revoked",
  "tool/started",
  "tool/result",
  "question/asked",
  "question/answered",
  "agent/started",
  "agent/ended",
  "tool/resolved",
  "effect/reverted",
  "queue/edited",
  "queue/taken",
  "window/moved",
  "compaction/start",
  "compaction/part",
  "compaction/end",
  "compaction/failed",
  "usage/recorded",
] as const;
