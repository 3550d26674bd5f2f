import type { OwnRestaurant } from '../session/restaurants.js';
import type { Session } from '../session/session.js';

/** What a page of a restaurant is given. Another restaurant or path gives a new page. */
export interface RestaurantPageProps {
  readonly session: Session;
  readonly restaurant: OwnRestaurant;
  /** the other parameters of the path */
  readonly parameters: Record<string, string>;
}

/** What a page of the platform is given. */
export interface PlatformPageProps {
  readonly session: Session;
  readonly restaurants: readonly OwnRestaurant[];
}

/** What a page of a link in a mail is given; null: nobody is signed in, or it is not known yet. */
export interface LinkedPageProps {
  readonly session: Session | null;
}
