import type { ReactNode } from 'react';

/** From this width on nothing is folded. */
const WIDE = '(min-width: 48rem)';

/** A part of the page that a phone shows behind its title, so that what needs somebody is within a few screens. */
export function Folded({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  if (matchMedia(WIDE).matches) return children;
  return (
    <details>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
