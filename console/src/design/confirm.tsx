import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useSharedTexts } from '../i18n/shared.js';
import { Button } from './button.js';

/**
 * A confirmation before an action that cannot be undone. It is the browser's own modal dialog: it covers the page, nothing behind
 * it can be reached, Escape closes it, and the focus returns (N11).
 */
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
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    if (open) element?.showModal();
    // closed before it is removed: a dialog that is only removed leaves the focus nowhere
    return () => element?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
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
