import type { ReactNode } from 'react';
import { Problem } from '../api/problem.js';
import type { Query } from '../api/queries.js';
import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';
import { Icon, type IconName } from './icons.js';

/** What a list shows while it is empty. */
export function EmptyState({
  icon = 'list',
  title,
  children,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** An error in words, with a button that tries again. @param retry absent: trying again would not help */
export function ErrorState({ error, retry }: { readonly error: Error; readonly retry?: (() => void) | undefined }) {
  const texts = useSharedTexts();
  return (
    <div className="error" role="alert">
      <p className="error-title">
        <Icon name="warning" /> {texts.errors.title}
      </p>
      <ErrorText error={error} />
      {retry && (
        <Button icon="repeat" onClick={retry}>
          {texts.errors.again}
        </Button>
      )}
    </div>
  );
}

/** An error in words: the page's text for its status, then the relay's messages. */
export function ErrorText({ error }: { readonly error: Error }) {
  const { errors } = useSharedTexts();
  if (!(error instanceof Problem)) return <p>{errors[500]}</p>;
  const { status, messages, requestId } = error;
  const known =
    status === 0 ? errors.UNREACHABLE : errors[status as 403] || (status > 500 ? errors[503] : errors.other);
  return (
    <>
      <p>{known}</p>
      {status !== 0 && status < 500 && messages.length > 0 && (
        <ul className="error-messages" lang="en">
          {messages.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {requestId && status >= 500 && <p className="fine">{errors.request(requestId)}</p>}
    </>
  );
}

/** Grey bars while something loads; screen readers announce it. @param lines the number of bars */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  const texts = useSharedTexts();
  return (
    <div className="loading" role="status" aria-busy="true">
      <span className="unseen">{texts.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <span key={line} className="loading-bar" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Shows a query: loading, its error, or its data. Data stays while a later request fails. */
export function Answer<Data>({
  query,
  lines,
  children,
}: {
  readonly query: Query<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} retry={() => query.refetch()} />;
  return <Loading {...(lines === undefined ? {} : { lines })} />;
}
