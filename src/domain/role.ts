/** A user's role on the platform; says nothing about any restaurant (DECISIONS 6). */
export const PLATFORM_ROLES = ['USER', 'ADMIN'] as const;
export type PlatformRole = (typeof PLATFORM_ROLES)[number];

/** A user's role in one restaurant, highest first; says nothing about the platform. */
export const RESTAURANT_ROLES = ['OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'] as const;
export type RestaurantRole = (typeof RESTAURANT_ROLES)[number];

const OWN_PERMISSIONS = {
  OWNER: [],
  ADMIN: ['manage_users', 'manage_data', 'view_reports', 'manage_settings'],
  MANAGER: ['manage_data', 'view_reports', 'manage_operations'],
  EMPLOYEE: ['create_transactions', 'view_data'],
  VIEWER: ['view_data'],
} as const satisfies Record<RestaurantRole, readonly string[]>;

export type Permission = (typeof OWN_PERMISSIONS)[RestaurantRole][number];

/** The seed's table "Permissions derived from a role"; an OWNER has all there are. */
export function permissionsOf(role: RestaurantRole): Permission[] {
  return role === 'OWNER' ? [...new Set(Object.values(OWN_PERMISSIONS).flat())] : [...OWN_PERMISSIONS[role]];
}

/** Nobody grants, changes or removes a role above their own (DECISIONS 6). */
export function mayGrant(own: RestaurantRole, granted: RestaurantRole): boolean {
  return RESTAURANT_ROLES.indexOf(own) <= RESTAURANT_ROLES.indexOf(granted);
}

/** May see who works in the restaurant (the seed's canManage). */
export const MANAGING_ROLES = ['OWNER', 'ADMIN', 'MANAGER'] as const satisfies readonly RestaurantRole[];

/** May change the restaurant and who works in it (the seed's hasPermission with OWNER or ADMIN). */
export const ADMINISTERING_ROLES = ['OWNER', 'ADMIN'] as const satisfies readonly RestaurantRole[];
