// What is wrong with a skill, in words with its file and line.
import { m } from "../locales";
import type { SkillProblem, SkillTrouble } from "../protocol";

function trouble(wrong: SkillTrouble): string {
  switch (wrong.is) {
    case "no-front-matter":
      return m.skill_no_front_matter();
    case "bad-front-matter":
      return m.skill_bad_front_matter({ message: wrong.message });
    case "no-description":
      return m.skill_no_description();
    case "bad-name":
      return m.skill_bad_name({ name: wrong.name });
    case "reserved":
      return m.skill_reserved({ name: wrong.name });
    case "duplicate":
      return m.skill_duplicate({ name: wrong.name, first: wrong.first });
    case "unreadable":
      return m.skill_unreadable({ message: wrong.message });
    case "too-many":
      return m.skill_too_many();
  }
}

/** One line: where, and what. */
export function problemLine({ path, line, trouble: wrong }: SkillProblem): string {
  return `${line === null ? path : `${path}:${line}`} — ${trouble(wrong)}`;
}
