import type { ReactNode } from 'react';
import { ButtonLink } from '../../design/button.js';
import { Page } from '../../design/page.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useDays } from './days-of.js';
import type { TerminalFile } from './queries.js';
import { useTexts } from './texts.js';

/** The frame of the pages of a file. */
export function FilePage({
  restaurant: { id, name },
  file,
  actions,
  children,
}: {
  readonly restaurant: OwnRestaurant;
  /** undefined: not known yet */
  readonly file: TerminalFile | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const texts = useTexts();
  const daysOf = useDays();
  return (
    <Page
      title={texts.title}
      aside={
        <div className="row not-printed">
          <ButtonLink to={`/r/${id}/terminal-files`} icon="back">
            {texts.toFiles}
          </ButtonLink>
          {actions}
        </div>
      }
    >
      <div className="terminal-file">
        {/* only on paper, which has no header */}
        <p className="printed">
          <bdi>{name}</bdi>
        </p>
        {file && (
          <p className="file-name">
            <bdi className="named">{file.name}</bdi>
            {file.days && <span className="quiet"> · {daysOf(file.days)}</span>}
          </p>
        )}
        {children}
      </div>
    </Page>
  );
}
