// What stands in a conversation from top to bottom, one kind each. It folds nothing.
import type { Attachment, EndReason, FailureKind, ForkOrigin, MessageId, MoneyUsedUp } from "../protocol";
import type { Message } from "./message.svelte";
import type { Summary } from "./summary";
import type { ToolCall } from "./tool-call.svelte";

export type UserMessage = { id: MessageId; seq: number; text: string; at: number; delivery: "next-turn" | "next-step" | "inject"; attachments: readonly Attachment[] };

export type Item =
  | { is: "user"; key: string; message: UserMessage }
  | { is: "answer"; key: string; message: Message }
  | { is: "call"; key: string; call: ToolCall }
  | { is: "discarded"; key: string; message: Message; failure: FailureKind; why: string }
  | { is: "tools-off"; key: string }
  /** From here on it goes its own way; what is above was said in another conversation. */
  | { is: "fork"; key: string; origin: ForkOrigin }
  | { is: "switched"; key: string; from: string; to: string; failure: FailureKind }
  | { is: "summary"; key: string; summary: Summary }
  | { is: "window"; key: string; before: number; after: number; pruned: number }
  /** `failure` is the kind of what failed last, where the turn ended by a request that failed. */
  | { is: "end"; key: string; reason: EndReason; failure: FailureKind | null; message: string | null; money: MoneyUsedUp | null; at: number };
