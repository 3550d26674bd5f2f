import { Answer } from '../../design/feedback.js';
import type { RestaurantPageProps } from '../page-props.js';
import { CheckFile } from './check-file.js';
import { Differences } from './differences.js';
import { FilePage } from './file-page.js';
import { useFile } from './queries.js';
import './terminal-files.css';

/** A file: before it is confirmed how it is read, then what differs (N29, N30). */
export default function TerminalFile({ restaurant, parameters: { file: fileId = '' } }: RestaurantPageProps) {
  const found = useFile(restaurant.id, fileId);
  const known = found.data;
  if (known?.state === 'CONFIRMED') return <Differences restaurant={restaurant} fileId={fileId} />;
  return (
    <FilePage restaurant={restaurant} file={known}>
      <Answer query={found} lines={8}>
        {(file) => <CheckFile restaurant={restaurant} file={file} />}
      </Answer>
    </FilePage>
  );
}
