/** The members of a JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON object in a text. */
export interface FoundObject {
  /** of an object that is cut or faulty the members before that place; never the last of them in part */
  readonly members: JsonObject;
  /** the object ends, and nothing in it is faulty */
  readonly isClosed: boolean;
  /** another text stands before it, such as a warning of PHP */
  readonly isPreceded: boolean;
  /** the text is this object, and nothing else */
  readonly isAlone: boolean;
}

/** The beginning of an object: its brace, and the first name with its colon. Behind another text `{}` is no object, but the braces of a script. */
const BEGINNING = /\{\s*"(?:[^"\\]|\\.)*"\s*:/gs;
const EMPTY = /^\{\s*\}/;
/** A text, and the characters that give an object its structure. */
const TOKENS = /"(?:[^"\\]|\\.)*"|["{}[\],]/gs;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON refuses them within a text, and some servers write them
const CONTROLS = /[\u0000-\u001f]/g;

/**
 * The top-level objects of a text, from left to right (D6). Text before, between and behind them is skipped, and a control character within a
 * string is read as a blank. An object that is cut or faulty is the last one. Takes linear time.
 */
export function* objectsIn(text: string): Generator<FoundObject, void> {
  const whole = parsed(text);
  if (isObject(whole)) {
    yield { members: whole, isClosed: true, isPreceded: false, isAlone: true };
    return;
  }
  for (let at = beginningIn(text, 0); at >= 0; ) {
    const { members, isClosed, end } = objectAt(text, at);
    yield { members, isClosed, isPreceded: at > 0, isAlone: false };
    if (!isClosed) return;
    at = beginningIn(text, end);
  }
}

/** @returns where an object begins, from `from` on; -1: nowhere */
function beginningIn(text: string, from: number): number {
  if (from === 0 && EMPTY.test(text)) return 0;
  const begin = beginningAfter(text, from);
  if (from > 0 || begin <= 0 || !text.startsWith('{')) return begin;
  // what is within braces that are no JSON is not an object of its own; what is behind them is
  const end = endOfBraces(text);
  return end < 0 ? -1 : beginningAfter(text, end);
}

function beginningAfter(text: string, from: number): number {
  BEGINNING.lastIndex = from;
  return BEGINNING.exec(text)?.index ?? -1;
}

/** @returns where the braces end with which the text begins; -1: nowhere */
function endOfBraces(text: string): number {
  let depth = 0;
  TOKENS.lastIndex = 0;
  for (let match = TOKENS.exec(text); match; match = TOKENS.exec(text)) {
    if (match[0] === '{') depth++;
    if (match[0] === '}' && --depth === 0) return match.index + 1;
  }
  return -1;
}

/** The object that begins with the brace at `start`; it ends before `end`. */
function objectAt(text: string, start: number): { members: JsonObject; isClosed: boolean; end: number } {
  const members: [string, unknown][] = [];
  const found = (isClosed: boolean, end: number) => ({ members: Object.fromEntries(members), isClosed, end });
  let depth = 0;
  let begin = start + 1;
  TOKENS.lastIndex = start;
  for (let match = TOKENS.exec(text); match; match = TOKENS.exec(text)) {
    const { 0: token, index } = match;
    // a text that does not end
    if (token === '"') break;
    if (token === '{' || token === '[') depth++;
    if (depth === 1 && (token === ',' || token === '}' || token === ']')) {
      const member = token === ']' ? undefined : parsed(`{${text.slice(begin, index).replace(CONTROLS, ' ')}}`);
      if (!isObject(member)) break;
      members.push(...Object.entries(member));
      begin = index + 1;
      if (token === '}') return found(true, begin);
    } else if (token === '}' || token === ']') depth--;
  }
  return found(false, text.length);
}

/** The value of a JSON text; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object, so neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
