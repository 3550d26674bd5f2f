import { lazy, Suspense, useEffect, useRef } from 'react';
import { Copyable } from '../design/copy.js';
import { Loading } from '../design/feedback.js';
import { Icon } from '../design/icons.js';
import { useFormats } from '../i18n/formats.js';
import { isolated } from '../i18n/isolated.js';
import type { NewSenderKey } from './keys-api.js';
import { useTexts } from './texts.js';

const Examples = lazy(() => import('./examples.js'));

/** A key that was just made. */
export interface ShownKey {
  readonly made: NewSenderKey;
  /** the key that it replaces; when it ends is `endsAt`, null: at once */
  readonly replaced?: { readonly endsAt: string | null };
}

/** A new key with its token or secret, shown until the page is left: the relay does not show it again (V2, V10). */
export function NewKey({
  shown: { made, replaced },
  timezone,
  isPlatform,
}: {
  readonly shown: ShownKey;
  readonly timezone: string;
  readonly isPlatform: boolean;
}) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const part = useRef<HTMLElement>(null);
  // the form that made it is closed now: without this the focus would be nowhere
  useEffect(() => part.current?.focus(), []);
  const name = isolated(made.name);
  const said = replaced ? texts.rotated(name) : texts.made(name);
  return (
    <section ref={part} className="new-key stack" tabIndex={-1} aria-label={said}>
      <p className="field-good">
        <Icon name="check" /> {said}
      </p>
      {replaced && <p>{replaced.endsAt ? texts.oldWorks(dateTime(replaced.endsAt, timezone)) : texts.oldEnded}</p>}
      <p>{made.token ? texts.token : texts.secret}</p>
      <Copyable text={made.token ?? made.secret ?? ''} />
      {made.path && (
        <>
          <p>{texts.path}</p>
          <Copyable text={new URL(made.path, location.origin).href} />
        </>
      )}
      <Suspense fallback={<Loading lines={1} />}>
        <Examples made={made} isPlatform={isPlatform} />
      </Suspense>
    </section>
  );
}
