import { expect, test } from "vitest";
import type { ConversationRow, ProjectRow } from "../protocol";
import { groupsOf } from "./groups";
import { glance } from "./row-state";

const project = (id: string, name: string): ProjectRow => ({ id, name, folder: `/${name}`, present: true, home: false });
const row = (id: string, changes: Partial<ConversationRow> = {}): ConversationRow => ({ id, project: "p", workspace: null, fork: null, parent: null, title: id, mode: "ask", model: null, fallbacks: [], generating: false, pending: 0, queued: 0, ended: null, unread: false, archived: false, seq: 1, created_at: 0, updated_at: 0, ...changes });

test("one state is shown, and what waits for a person comes before all others", () => {
  expect(glance(row("a", { pending: 2, generating: true, unread: true })).words).toBe("2 decisions wait for you");
  expect(glance(row("a", { generating: true, unread: true })).tone).toBe("running");
  expect(glance(row("a", { ended: "error", unread: true })).tone).toBe("red");
  expect(glance(row("a", { ended: "completed", unread: true })).tone).toBe("blue");
  expect(glance(row("a", { ended: "stopped" })).tone).toBe("none");
});

test("conversations stand under their project; those of a removed one, and archived ones, apart", () => {
  const projects = [project("p", "atlas"), project("q", "empty")];
  const { groups, archived } = groupsOf(projects, [row("a"), row("b", { project: "gone" }), row("c", { archived: true })], "");
  expect(groups.map(({ project: of, rows }) => [of?.name ?? null, rows.map(({ id }) => id)])).toEqual([["atlas", ["a"]], ["empty", []], [null, ["b"]]]);
  expect(archived.map(({ id }) => id)).toEqual(["c"]);
});

test("a search looks at titles and project names, word by word", () => {
  const found = (text: string): string[] => groupsOf([project("p", "atlas"), project("q", "田野")], [row("Retry once"), row("整理访谈", { project: "q" })], text).groups.flatMap(({ rows }) => rows.map(({ id }) => id));
  expect(found("retry ATLAS")).toEqual(["Retry once"]);
  expect(found("访谈")).toEqual(["整理访谈"]);
  expect(found("田野")).toEqual(["整理访谈"]);
  expect(found("nothing")).toEqual([]);
});
