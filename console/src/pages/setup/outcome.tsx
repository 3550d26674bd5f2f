import { Problem } from '../../api/problem.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useTexts } from './texts.js';

/** What became of what somebody asked for, where readers hear it. @param error what no field is told of */
export function Outcome({ done, error }: { readonly done: string | undefined; readonly error: Error | null }) {
  const texts = useTexts();
  const isByPlatform = error instanceof Problem && error.code === 'ONBOARDING_BY_ADMIN';
  return (
    <div role="status">
      {!error && done && (
        <p className="field-good">
          <Icon name="check" /> {done}
        </p>
      )}
      {isByPlatform && (
        <p className="field-error">
          <Icon name="warning" /> {texts.byPlatform}
        </p>
      )}
      {error && !isByPlatform && <ErrorText error={error} />}
    </div>
  );
}
