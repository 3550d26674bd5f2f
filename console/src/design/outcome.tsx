import type { ReactNode } from 'react';
import { Problem } from '../api/problem.js';
import { ErrorText } from './feedback.js';
import { Icon } from './icons.js';

/**
 * The outcome of an action, where screen readers announce it.
 * @param done what to say after it has worked
 * @param known what to say of an error, by its code; others are written as everywhere
 * @param role `alert` is read at once
 */
export function Outcome({
  done,
  error = null,
  known = {},
  role = 'status',
  children,
}: {
  readonly done?: string | false | undefined;
  readonly error?: Error | null;
  readonly known?: Readonly<Record<string, string>>;
  readonly role?: 'status' | 'alert';
  readonly children?: ReactNode;
}) {
  const words = error instanceof Problem ? known[error.code] : undefined;
  return (
    <div role={role}>
      {!error && done && (
        <p className="field-good">
          <Icon name="check" /> {done}
        </p>
      )}
      {words && (
        <p className="field-error">
          <Icon name="warning" /> {words}
        </p>
      )}
      {error && !words && <ErrorText error={error} />}
      {children}
    </div>
  );
}
