// Which calls share a row: neighbouring reads that went well. Nothing else is folded, so that nothing that changed something hides.
import type { ToolCall } from "../state";

export type Row = { key: string; calls: readonly [ToolCall, ...ToolCall[]] };

export function rows(calls: readonly ToolCall[]): Row[] {
  const out: { key: string; calls: [ToolCall, ...ToolCall[]] }[] = [];
  for (const call of calls) {
    const last = out.at(-1);
    if (last && isRead(call) && isRead(last.calls[0])) last.calls.push(call);
    else out.push({ key: call.call, calls: [call] });
  }
  return out;
}

function isRead({ name, result }: ToolCall): boolean {
  return name === "read_file" && result?.outcome === "ok";
}
