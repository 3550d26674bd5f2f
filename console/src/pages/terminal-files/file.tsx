import { Answer } from '../../design/feedback.js';
import { usePlace } from '../../router/location.js';
import type { RestaurantPageProps } from '../page-props.js';
import { CheckFile } from './check-file.js';
import { Differences } from './differences.js';
import { FilePage } from './file-page.js';
import { useFile } from './queries.js';
import './terminal-files.css';

/** A file: how it is read, before it is confirmed and again when it was misread, then what differs (N29, N30). */
export default function TerminalFile({ restaurant, parameters: { file: fileId = '' } }: RestaurantPageProps) {
  const found = useFile(restaurant.id, fileId);
  const known = found.data;
  const isAgain = usePlace().query.get('read') === 'again';
  if (known?.state === 'CONFIRMED' && !(isAgain && known.isKept))
    return <Differences restaurant={restaurant} fileId={fileId} />;
  return (
    <FilePage restaurant={restaurant} file={known}>
      <Answer query={found} lines={8}>
        {(file) => <CheckFile restaurant={restaurant} file={file} />}
      </Answer>
    </FilePage>
  );
}
