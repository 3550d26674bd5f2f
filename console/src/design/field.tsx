import { type ComponentProps, type ReactNode, useId } from 'react';
import { Icon } from './icons.js';

interface FieldFrame {
  readonly label: string;
  /** a help text below it */
  readonly hint?: ReactNode;
  /** what is wrong with the value */
  readonly error?: ReactNode;
}

/** A labelled input; its hint and its error are read with it. */
export function Field({ label, hint, error, ...input }: FieldFrame & Omit<ComponentProps<'input'>, 'className'>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input {...input} id={id} className="input" {...described(id, hint, error)} />
    </Frame>
  );
}

/** A labelled `select`. */
export function SelectField({
  label,
  hint,
  error,
  children,
  ...select
}: FieldFrame & Omit<ComponentProps<'select'>, 'className'>) {
  const id = useId();
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <select {...select} id={id} className="input" {...described(id, hint, error)}>
        {children}
      </select>
    </Frame>
  );
}

function Frame({
  id,
  label,
  hint,
  error,
  children,
}: FieldFrame & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="field-error">
          <Icon name="warning" /> {error}
        </p>
      )}
    </div>
  );
}

function described(id: string, hint: ReactNode, error: ReactNode) {
  const ids = [hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter((part) => part !== null);
  return { 'aria-describedby': ids.join(' ') || undefined, 'aria-invalid': error ? true : undefined } as const;
}
