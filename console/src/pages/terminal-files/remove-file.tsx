import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText } from '../../design/feedback.js';
import { navigate } from '../../router/location.js';
import { useRemove } from './queries.js';

/** Removes a file after a question, and goes back to the list. */
export function RemoveFile({
  restaurantId,
  fileId,
  texts,
}: {
  readonly restaurantId: string;
  readonly fileId: string;
  /** what is lost differs: a file that is confirmed counts until then */
  readonly texts: { readonly remove: string; readonly title: string; readonly help: string };
}) {
  const [isAsking, ask] = useState(false);
  const removing = useRemove(restaurantId, fileId);
  const list = `/r/${restaurantId}/terminal-files`;
  return (
    <>
      <Button kind="quiet" icon="cross" onClick={() => ask(true)}>
        {texts.remove}
      </Button>
      <Confirm
        open={isAsking}
        title={texts.title}
        action={texts.remove}
        busy={removing.isPending}
        onConfirm={() => removing.mutate(undefined, { onSuccess: () => navigate(list, { replace: true }) })}
        onClose={() => ask(false)}
      >
        <p>{texts.help}</p>
        {removing.error && <ErrorText error={removing.error} />}
      </Confirm>
    </>
  );
}
