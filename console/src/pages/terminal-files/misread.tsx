import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { navigate, setQuery } from '../../router/location.js';
import { mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { type TerminalFile, useRemove } from './queries.js';
import { useTexts } from './texts.js';

/** The ways back from a file that was read wrong: to read it again, or to take it back. */
export function Misread({
  restaurant: { id, role },
  file,
}: {
  readonly restaurant: OwnRestaurant;
  readonly file: TerminalFile | undefined;
}) {
  const { misread: texts } = useTexts();
  const [isAsking, ask] = useState(false);
  const removing = useRemove(id, file?.id ?? '');
  if (!file || !mayManage(role)) return null;
  return (
    <>
      {file.isKept && (
        <Button icon="repeat" onClick={() => setQuery({ read: 'again' })}>
          {texts.again}
        </Button>
      )}
      <Button kind="quiet" icon="cross" onClick={() => ask(true)}>
        {texts.back}
      </Button>
      <Confirm
        open={isAsking}
        title={texts.title}
        action={texts.back}
        busy={removing.isPending}
        onConfirm={() =>
          removing.mutate(undefined, { onSuccess: () => navigate(`/r/${id}/terminal-files`, { replace: true }) })
        }
        onClose={() => ask(false)}
      >
        <p>{texts.help}</p>
        {removing.error && <ErrorText error={removing.error} />}
      </Confirm>
    </>
  );
}
