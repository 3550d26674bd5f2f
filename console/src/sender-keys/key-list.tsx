import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../design/button.js';
import { Confirm } from '../design/confirm.js';
import { Outcome } from '../design/outcome.js';
import { useFormats } from '../i18n/formats.js';
import { isolated } from '../i18n/isolated.js';
import { isRefused, KeyRow } from './key-row.js';
import type { KeysApi, SenderKey } from './keys-api.js';
import type { ShownKey } from './new-key.js';
import { RotateKey } from './rotate-key.js';
import { useTexts } from './texts.js';

/** The keys that work, with what can be done to them; the ended ones behind a line. */
export function KeyList({
  keys,
  calls,
  timezone,
  onRotated,
  onRevoked,
}: {
  readonly keys: readonly SenderKey[];
  readonly calls: KeysApi;
  readonly timezone: string;
  readonly onRotated: (shown: ShownKey) => Promise<unknown>;
  readonly onRevoked: (id: string) => Promise<unknown>;
}) {
  const texts = useTexts();
  const { number } = useFormats();
  const [rotating, setRotating] = useState<SenderKey>();
  const [revoking, setRevoking] = useState<SenderKey>();
  const [done, setDone] = useState<string>();
  const revoke = useMutation({
    mutationFn: ({ id }: SenderKey) => calls.revoke(id),
    onSuccess: async (_, { id, name }) => {
      await onRevoked(id);
      setDone(texts.revoked(isolated(name)));
    },
    onSettled: () => setRevoking(undefined),
  });
  const live = keys.filter((key) => key.live);
  const ended = keys.filter((key) => !key.live);
  return (
    <>
      {live.length === 0 ? (
        <p className="quiet">{texts.none}</p>
      ) : (
        <ul className="keys" aria-label={texts.caption}>
          {live.map((key) => (
            <KeyRow key={key.id} of={key} timezone={timezone}>
              {!key.replacedBy && (
                <Button aria-label={`${texts.rotate}: ${isolated(key.name)}`} onClick={() => setRotating(key)}>
                  {texts.rotate}
                </Button>
              )}
              <RevokeKey of={key} onPress={setRevoking} />
            </KeyRow>
          ))}
        </ul>
      )}
      <Outcome done={done} error={revoke.error} />
      {ended.length > 0 && (
        <details className="add-key" open={ended.some((key) => isRefused(key, Date.now()))}>
          <summary>{texts.ended(number(ended.length))}</summary>
          <ul className="keys">
            {ended.map((key) => (
              <KeyRow key={key.id} of={key} timezone={timezone}>
                {!key.revokedAt && !key.replacedBy && <RevokeKey of={key} onPress={setRevoking} />}
              </KeyRow>
            ))}
          </ul>
        </details>
      )}
      {rotating && (
        <RotateKey
          of={rotating}
          calls={calls}
          timezone={timezone}
          onRotated={(shown) => {
            setDone(undefined);
            setRotating(undefined);
            return onRotated(shown);
          }}
          onClose={() => setRotating(undefined)}
        />
      )}
      {revoking && (
        <Confirm
          open
          title={texts.revokeTitle(isolated(revoking.name))}
          action={texts.revoke}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>{texts.revokeText}</p>
        </Confirm>
      )}
    </>
  );
}

/** An expired key is revoked too: its secret is deleted, and its alert closes. */
function RevokeKey({ of: key, onPress }: { readonly of: SenderKey; readonly onPress: (key: SenderKey) => void }) {
  const { revoke } = useTexts();
  return (
    <Button kind="danger" aria-label={`${revoke}: ${isolated(key.name)}`} onClick={() => onPress(key)}>
      {revoke}
    </Button>
  );
}
