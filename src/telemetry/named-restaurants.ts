/** Restaurants that one alarm names at most. */
const NAMED = 20;

/** A restaurant, as an alarm names it. */
export interface NamedRestaurant {
  readonly restaurantId: string;
  readonly name: string;
}

/** The restaurants that an alarm is about: their number, and the first 20 of them. */
export interface NamedRestaurants {
  readonly count: number;
  readonly restaurants: readonly NamedRestaurant[];
}

/** Names the restaurants that an alarm is about. */
export function namedRestaurants(
  restaurants: readonly { readonly id: string; readonly name: string }[],
): NamedRestaurants {
  return {
    count: restaurants.length,
    restaurants: restaurants.slice(0, NAMED).map(({ id, name }) => ({ restaurantId: id, name })),
  };
}
