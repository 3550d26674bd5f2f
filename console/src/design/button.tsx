import type { ComponentProps, ReactNode } from 'react';
import { Link } from '../router/link.js';
import { Icon, type IconName } from './icons.js';

type Kind = 'primary' | 'plain' | 'danger' | 'quiet' | 'icon';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  readonly kind?: Kind;
  readonly icon?: IconName;
  /** its action is under way: the button stays, and does nothing */
  readonly busy?: boolean;
}

export function Button({
  kind = 'plain',
  icon,
  busy = false,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`button button-${kind}`}
      // not `disabled`: the focus would be lost while it works
      aria-disabled={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {icon && <Icon name={icon} className={busy ? 'icon-turning' : ''} />}
      <span>{children}</span>
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  to,
  kind = 'plain',
  icon,
  children,
}: {
  readonly to: string;
  readonly kind?: Kind;
  readonly icon?: IconName;
  readonly children: ReactNode;
}) {
  return (
    <Link to={to} className={`button button-${kind}`}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </Link>
  );
}
