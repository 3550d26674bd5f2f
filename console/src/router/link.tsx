import type { ComponentProps, MouseEvent } from 'react';
import { hrefOf, navigate } from './location.js';

/** A link within the console. Opening it in another tab works as with any link. */
export function Link({ to, onClick, ...rest }: Omit<ComponentProps<'a'>, 'href'> & { readonly to: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || rest.target) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={hrefOf(to)} onClick={follow} />;
}
