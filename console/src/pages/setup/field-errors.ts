import { type RefObject, useEffect, useRef } from 'react';
import { Problem } from '../../api/problem.js';

/** An error, told apart by the fields it is about. */
export interface FieldErrors {
  /** what is wrong with a field, in the language of the page */
  readonly of: Readonly<Record<string, string | undefined>>;
  /** what is about no field */
  readonly rest: Error | null;
}

/**
 * Tells which fields an error of the relay is about: its messages begin with the field's name.
 * @param words what to say of each field of the form; what is wrong with any other field stays in `rest`
 * @param taken what to say of a value that another one has (409); absent: as of any other error
 */
export function fieldErrors(error: Error | null, words: Readonly<Record<string, string>>, taken?: string): FieldErrors {
  if (!(error instanceof Problem)) return { of: {}, rest: error };
  const fields = error.messages.map((message) => /^\w+/.exec(message)?.[0] ?? '').filter((field) => field in words);
  const of = Object.fromEntries(
    fields.map((field) => [field, error.status === 409 ? (taken ?? words[field]) : words[field]]),
  );
  return { of, rest: fields.length < error.messages.length || fields.length === 0 ? error : null };
}

/** For a form: whenever an error comes, the focus goes to the first field it is about. */
export function useFocusOnError(error: Error | null): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return form;
}
