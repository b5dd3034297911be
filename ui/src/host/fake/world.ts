// A window that has been in use for a while: projects, finished and running conversations, cards that wait.
import { FakeHost, type FakeOptions } from "./host";
import type { FakeConversation } from "./conversation";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Makes it. What runs in it goes on at the speed that was asked for. */
export async function lived(options: FakeOptions = {}): Promise<FakeHost> {
  const host = new FakeHost({ ...options, speed: 0 });
  const atlas = host.addProject("/home/sam/code/atlas");
  const notes = host.addProject("/home/sam/field-notes");
  const begin = (project: string, title: string, at: number): FakeConversation => {
    host.at = at;
    const conversation = host.create(project);
    conversation.log.append({ kind: "title/set", title, by: "user" });
    return conversation;
  };
  const finished = async (project: string, title: string, at: number, says: string, unread: boolean): Promise<void> => {
    const conversation = begin(project, title, at);
    conversation.send(says, "next-turn", false);
    await conversation.idle;
    conversation.log.change({ unread });
  };
  const now = Date.now();
  await finished(notes.id, "Outline, chapter 3", now - 2 * DAY, "Say something about chapter 3", false);
  await finished(atlas.id, "Move to rusqlite 0.43", now - DAY, "Make it fail", false);
  await finished(atlas.id, "Changelog for 0.4", now - 90 * MINUTE, "A long changelog", true);
  const interviews = begin(notes.id, "整理六月的访谈", now - 3 * MINUTE);
  interviews.send("Run the export", "next-turn", false);
  await settled(interviews);
  const retry = begin(atlas.id, "Retry only before the first byte", now - 20_000);
  retry.send("Streams are retried after they have begun. Fix it in @src/retry.rs and run the tests.", "next-turn", false);
  await settled(retry);
  retry.send("then update the changelog", "next-turn", false);
  host.at = null;
  host.speed = options.speed ?? 1;
  return host;
}

/** Waits, in turns of the event loop, until a card waits for a person. */
async function settled(conversation: FakeConversation): Promise<void> {
  while ((conversation.turn?.pending.size ?? 0) === 0) await new Promise((resolve) => setTimeout(resolve));
}
