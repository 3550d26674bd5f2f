import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/specification/', import.meta.url);

/** A section of the specification; docs/specification.md is the front page and has no rules. */
export interface Section {
  /** its name in docs/specification/ */
  readonly file: string;
  readonly text: string;
}

export function sectionsOfSpecification(): Section[] {
  return readdirSync(FOLDER)
    .toSorted()
    .map((file) => ({ file, text: readFileSync(new URL(file, FOLDER), 'utf8') }));
}

/** All sections, as one text. */
export function readSpecification(): string {
  return sectionsOfSpecification()
    .map(({ text }) => text)
    .join('\n');
}
