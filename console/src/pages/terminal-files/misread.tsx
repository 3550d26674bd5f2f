import { Button } from '../../design/button.js';
import { setQuery } from '../../router/location.js';
import { mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import type { TerminalFile } from './queries.js';
import { RemoveFile } from './remove-file.js';
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
  if (!file || !mayManage(role)) return null;
  return (
    <>
      {file.isKept && (
        <Button icon="repeat" onClick={() => setQuery({ read: 'again' })}>
          {texts.again}
        </Button>
      )}
      <RemoveFile restaurantId={id} fileId={file.id} texts={texts} />
    </>
  );
}
