// What a running turn is doing, in words. It reads no clock: the caller says what "now" is.
import { elapsed, m } from "../locales";
import type { Conversation, Message } from "../state";

/** The answer that is being written. */
function written(conversation: Conversation): Message | null {
  const last = conversation.items.findLast(({ is }) => is === "answer");
  return last?.is === "answer" && last.message.streaming ? last.message : null;
}

/** The first line of a target, as far as a line has room. */
function short(target: string): string {
  const [line = "", ...more] = target.split("\n");
  return line.length > 60 ? `${line.slice(0, 59)}…` : more.length > 0 ? `${line} …` : line;
}

export function phaseWords(conversation: Conversation, now: number): string {
  const { phase, pending, waiting, standing } = conversation;
  const words = waiting > 0 && pending.length === 0 ? m.chat_phase_asked() : waiting > 0 ? m.chat_phase_you({ count: waiting }) : ofPhase(conversation, phase, now);
  if (!standing) return words;
  return `${words} · ${m.chat_phase_silent({ time: elapsed(Math.max(60_000, now - phase.since)) })}`;
}

function ofPhase(conversation: Conversation, phase: Conversation["phase"], now: number): string {
  const time = elapsed(now - phase.since);
  const writing = written(conversation)?.writing;
  switch (phase.is) {
    case "idle":
      return m.chat_phase_starting();
    case "queued":
      return phase.ahead > 0 ? m.chat_phase_queued_ahead({ count: phase.ahead }) : m.chat_phase_queued();
    case "connecting":
      return m.chat_phase_connecting();
    case "first-token":
      return m.chat_phase_first({ time });
    case "thinking":
      return m.chat_phase_thinking({ time });
    case "writing":
      if (writing?.target) return m.chat_phase_writing_call({ target: writing.target, count: writing.lines });
      return writing ? m.chat_phase_proposing({ name: writing.name }) : m.chat_phase_writing();
    case "tool": {
      const agents = [...conversation.calls.values()].filter(({ agent, result }) => agent !== null && result === null).length;
      if (agents > 0) return m.chat_phase_agents({ count: agents, time });
      const what = short(conversation.calls.get(phase.call)?.target || phase.name);
      return phase.output_at === null ? m.chat_phase_tool({ what, time }) : m.chat_phase_tool_output({ what, time: elapsed(now - phase.output_at) });
    }
    case "you":
      return m.chat_phase_you({ count: phase.pending });
    case "backing-off":
      return m.chat_phase_backing_off({ time: elapsed(phase.until - now), attempt: phase.attempt, of: phase.of });
    case "compacting":
      return m.chat_phase_compacting({ time });
    case "saving":
      return m.chat_phase_saving();
  }
}
