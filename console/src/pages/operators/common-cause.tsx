import { capitalised, wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import type { ParkedCause } from './queries.js';
import { useTexts } from './texts.js';

/** A cause of parked orders that restaurants of several founders have (R22): none of them can mend it. */
export function CommonCause({ cause }: { readonly cause: ParkedCause }) {
  const texts = useTexts();
  const { cause: reason, inCommon, inShort } = wordsFor(useCauseWords(), cause.kind, cause.subject);
  const { dateTime } = useFormats();
  return (
    <article className="incident">
      <h3 className="cause-name">
        <Icon name="warning" />
        <span>
          {capitalised(reason)}: {texts.parked.count(cause.parked, cause.restaurantCount)}
        </span>
      </h3>
      <p className="fine">{texts.incidents.since(dateTime(cause.since, 'UTC'))}</p>
      <p className="mono" lang="en">
        <bdi>{cause.cause}</bdi>
      </p>
      <p>{inCommon ?? inShort}</p>
    </article>
  );
}
