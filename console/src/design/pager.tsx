import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';

/** The buttons of a list that is paged by cursor. @param next undefined: this is the last page */
export function Pager({
  isFirst,
  next,
  first,
}: {
  readonly isFirst: boolean;
  readonly next: (() => void) | undefined;
  readonly first: () => void;
}) {
  const { pager } = useSharedTexts();
  if (isFirst && !next) return null;
  return (
    <nav className="pager" aria-label={pager.label}>
      {!isFirst && (
        <Button icon="back" onClick={first}>
          {pager.first}
        </Button>
      )}
      {next && (
        <Button icon="arrow" onClick={next}>
          {pager.next}
        </Button>
      )}
    </nav>
  );
}
