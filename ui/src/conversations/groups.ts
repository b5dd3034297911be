// The list as it is drawn: conversations by project, those without one, and the archived ones. It only sorts and filters.
import type { ConversationRow, ProjectRow } from "../protocol";

export type Group = { project: ProjectRow | null; rows: ConversationRow[] };
export type Groups = { groups: Group[]; archived: ConversationRow[]; isEmpty: boolean };

/** `text` filters by title and by the project's name; every word must be in one of the two. */
export function groupsOf(projects: readonly ProjectRow[], rows: readonly ConversationRow[], text: string): Groups {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const name = new Map(projects.map((project) => [project.id, project.name.toLowerCase()]));
  const fits = (row: ConversationRow): boolean => {
    const where = `${row.title.toLowerCase()}\n${(row.project && name.get(row.project)) ?? ""}`;
    return words.every((word) => where.includes(word));
  };
  const fitting = rows.filter(fits);
  const present = fitting.filter(({ archived }) => !archived);
  const groups: Group[] = projects.map((project) => ({ project, rows: present.filter((row) => row.project === project.id) }));
  const without = present.filter((row) => row.project === null || !name.has(row.project));
  if (without.length > 0) groups.push({ project: null, rows: without });
  return {
    groups: words.length === 0 ? groups : groups.filter(({ rows }) => rows.length > 0),
    archived: fitting.filter(({ archived }) => archived),
    isEmpty: fitting.length === 0,
  };
}
