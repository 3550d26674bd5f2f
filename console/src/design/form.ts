import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { Problem } from '../api/problem.js';

/** What is wrong with a field, in the language of the page. */
type FieldErrors = Readonly<Record<string, string | undefined>>;

interface FormOptions<Values, Answer> {
  readonly initial: Values;
  /** @returns what is wrong with the values, by field; with any of it nothing is sent */
  readonly check?: (values: Values) => FieldErrors;
  /** Makes the request. It rejects with a Problem. */
  readonly send: (values: Values) => Promise<Answer>;
  readonly onSent?: (answer: Answer) => unknown;
  /** what to say of each field that the relay refuses; its messages begin with the field's name */
  readonly words?: Readonly<Record<string, string>>;
  /** what to say of a value that another one has (409); absent: what `words` say */
  readonly taken?: string;
  /** problem code -> a message for each field that the problem is about */
  readonly codes?: Readonly<Record<string, FieldErrors>>;
}

/** A form: its values, its one request, and what is wrong with each field. The focus goes to the first such field. */
export function useForm<Values extends Readonly<Record<string, string>>, Answer>({
  initial,
  check,
  send,
  onSent,
  words = {},
  taken,
  codes = {},
}: FormOptions<Values, Answer>) {
  const [values, setValues] = useState(initial);
  const [found, setFound] = useState<FieldErrors>({});
  const ref = useRef<HTMLFormElement>(null);
  const sending = useMutation({ mutationFn: send, ...(onSent && { onSuccess: onSent }) });
  const known = sending.error instanceof Problem ? codes[sending.error.code] : undefined;
  const told = fieldErrors(sending.error, words, taken);
  const errors: FieldErrors = { ...told.errors, ...known, ...found };
  useLayoutEffect(() => {
    if (sending.error || Object.keys(found).length > 0)
      ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [sending.error, found]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check?.(values) ?? {};
    setFound(wrong);
    if (Object.keys(wrong).length === 0 && !sending.isPending) sending.mutate(values);
  };
  return {
    values,
    change: (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes })),
    clear: () => setValues(initial),
    sending,
    /** what is about no field of the form */
    rest: known ? null : told.rest,
    /** of the `form` element */
    props: { ref, onSubmit, className: 'stack' },
    /** of the input of a field */
    field: (name: keyof Values & string) => ({
      name,
      value: values[name],
      error: errors[name],
      onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
        setValues((before) => ({ ...before, [name]: target.value })),
    }),
  };
}

function fieldErrors(error: Error | null, words: Readonly<Record<string, string>>, taken?: string) {
  if (!(error instanceof Problem)) return { errors: {}, rest: error };
  const fields = error.messages.map((message) => /^\w+/.exec(message)?.[0] ?? '').filter((field) => field in words);
  const wordOf = (field: string) => (error.status === 409 ? (taken ?? words[field]) : words[field]);
  return {
    errors: Object.fromEntries(fields.map((field) => [field, wordOf(field)])),
    rest: fields.length < error.messages.length || fields.length === 0 ? error : null,
  };
}
