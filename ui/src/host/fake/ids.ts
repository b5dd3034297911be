// Ids and digests that look like the engine's and are the same in every run.
let made = 0;

/** The next id. */
export function id(): string {
  made += 1;
  const tail = made.toString(16).padStart(12, "0");
  return `019a8f00-0000-7000-8000-${tail}`;
}

/** A digest; equal texts have equal ones. It protects nothing. */
export function sha(text: string): string {
  let a = 0x811c9dc5;
  let out = "";
  for (let round = 0; round < 8; round += 1) {
    for (let index = 0; index < text.length; index += 1) a = Math.imul(a ^ (text.charCodeAt(index) + round), 0x01000193);
    out += (a >>> 0).toString(16).padStart(8, "0");
  }
  return out;
}
