import { observable } from './observable.js';

/** How many alerts nobody takes care of: shown in the browser's title, on the icon of the installed app, and in the navigation. */
const needs = observable(0);

export const useNeeds = needs.use;

export function setNeeds(count: number): void {
  needs.set(count);
  // where the app cannot be installed, there is no badge
  const badge = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  badge?.catch(() => {});
}
