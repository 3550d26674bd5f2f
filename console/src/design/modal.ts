import { type RefObject, type SyntheticEvent, useLayoutEffect, useRef } from 'react';

/**
 * The browser's own modal dialog: it covers the page, nothing behind it can be reached, Escape closes it, and the focus returns (N11).
 * @returns what the `dialog` element takes
 */
export function useModal(isOpen: boolean, onClose: () => void) {
  const ref: RefObject<HTMLDialogElement | null> = useRef(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (isOpen) element?.showModal();
    // closed before it is removed: a dialog that is only removed leaves the focus nowhere
    return () => element?.close();
  }, [isOpen]);
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault();
    onClose();
  };
  return { ref, onCancel };
}
