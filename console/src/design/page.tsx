import { type ReactNode, useEffect, useRef } from 'react';
import { useNeeds } from '../browser/needs.js';
import { useSharedTexts } from '../i18n/shared.js';
import { hasMoved } from '../router/location.js';

/**
 * A page. Its title is the h1 and the browser's title. After a link the title takes the focus, so that a screen reader reads it.
 * @param place a part of the page with an address of its own: after a link to another one the title takes the focus again
 */
export function Page({
  title,
  place = '',
  aside,
  children,
}: {
  readonly title: ReactNode;
  readonly place?: string | undefined;
  /** beside the title */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <>
      <div className="page-head">
        <Title key={place}>{title}</Title>
        {aside}
      </div>
      {children}
    </>
  );
}

function Title({ children }: { readonly children: ReactNode }) {
  const texts = useSharedTexts();
  const needs = useNeeds();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasMoved()) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const count = needs > 0 ? `(${needs}) ` : '';
    document.title = `${count}${heading.current?.textContent} – ${texts.product}`;
  });
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** A part of a page with a heading of its own. */
export function Panel({
  title,
  aside,
  children,
  className = '',
}: {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  return (
    <section className={`panel ${className}`}>
      <div className="panel-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
