import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';

/**
 * A question before something that cannot be taken back. Its title names what it is about. Load it lazily: it brings a part of
 * Base UI with it.
 */
export default function Confirm({
  open,
  title,
  children,
  action,
  busy = false,
  isOver = false,
  onConfirm,
  onClose,
}: {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** what the button does, for example "Cancel order 41" */
  readonly action: string;
  readonly busy?: boolean;
  /** it is done: nothing is asked any more */
  readonly isOver?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const texts = useSharedTexts();
  return (
    <AlertDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="dialog-backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="dialog-text">
            {children}
          </AlertDialog.Description>
          <div className="dialog-buttons">
            <AlertDialog.Close className="button button-plain">
              {isOver ? texts.confirm.close : texts.confirm.no}
            </AlertDialog.Close>
            {!isOver && (
              <Button kind="danger" busy={busy} onClick={onConfirm}>
                {action}
              </Button>
            )}
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
