import { type ReactNode, useId } from 'react';
import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';
import { useModal } from './modal.js';

/** A confirmation before an action that cannot be undone. */
export function Confirm({
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
  /** after the action: only Close is left */
  readonly isOver?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const texts = useSharedTexts();
  const dialog = useModal(open, onClose);
  const id = useId();
  return (
    <dialog
      {...dialog}
      className="dialog"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
    >
      <h2 id={`${id}-title`} className="dialog-title">
        {title}
      </h2>
      <div id={`${id}-text`} className="dialog-text">
        {children}
      </div>
      <div className="dialog-buttons">
        <Button onClick={onClose}>{isOver ? texts.confirm.close : texts.confirm.no}</Button>
        {!isOver && (
          <Button kind="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        )}
      </div>
    </dialog>
  );
}
