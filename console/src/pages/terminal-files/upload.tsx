import { useState } from 'react';
import { Problem } from '../../api/problem.js';
import { ChooseFile, MAX_FILE_BYTES } from '../../design/choose-file.js';
import { ErrorText } from '../../design/feedback.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { navigate } from '../../router/location.js';
import { useUpload } from './queries.js';
import { useTexts } from './texts.js';

/** Uploads a file, and goes to the page that shows how it is read. */
export function Upload({ restaurantId, mayUpload }: { readonly restaurantId: string; readonly mayUpload: boolean }) {
  const { upload: texts } = useTexts();
  const [wrong, setWrong] = useState<'tooLarge' | 'empty'>();
  const uploading = useUpload(restaurantId);
  const take = (file: File) => {
    const found = file.size > MAX_FILE_BYTES ? 'tooLarge' : file.size === 0 ? 'empty' : undefined;
    setWrong(found);
    uploading.reset();
    if (!found) uploading.mutate(file, { onSuccess: ({ id }) => navigate(`/r/${restaurantId}/terminal-files/${id}`) });
  };
  const { error } = uploading;
  const isRefused = error instanceof Problem && error.code === 'FILE_REFUSED';
  return (
    <Panel title={texts.title}>
      <div className="stack">
        <p>{texts.help}</p>
        {mayUpload ? (
          <>
            <ChooseFile kind="primary" busy={uploading.isPending} onFile={take}>
              {texts.button}
            </ChooseFile>
            <p className="fine">{texts.limits}</p>
          </>
        ) : (
          <p className="fine">{texts.mayNot}</p>
        )}
        {wrong && (
          <p className="field-error" role="alert">
            {texts[wrong]}
          </p>
        )}
        {isRefused ? (
          <div role="alert">
            <p className="field-error">{texts.refused}</p>
            <ErrorText error={error} />
          </div>
        ) : (
          <Outcome
            role="alert"
            error={error}
            known={{ TOO_MANY_FILES: texts.tooMany, TOO_MANY_UPLOADS: texts.busy, PAYLOAD_TOO_LARGE: texts.tooLarge }}
          />
        )}
      </div>
    </Panel>
  );
}
