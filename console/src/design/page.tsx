import { type ReactNode, useEffect, useRef } from 'react';
import { useNeeds } from '../browser/needs.js';
import { useSharedTexts } from '../i18n/shared.js';
import { hasMoved } from '../router/location.js';

/**
 * A page. Its title is the h1 and the browser's title. After a link the title takes the focus, so that a screen reader reads it.
 */
export function Page({
  title,
  aside,
  children,
}: {
  readonly title: ReactNode;
  /** beside the title */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
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
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </div>
      {children}
    </>
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
