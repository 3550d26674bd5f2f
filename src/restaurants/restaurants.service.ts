import { randomBytes, randomUUID } from 'node:crypto';
import { HttpStatus, Injectable } from '@nestjs/common';
import { uniqueViolation } from '../database/errors.js';
import type { Restaurant } from '../database/generated/client.js';
import { Prisma } from '../database/prisma.js';
import { posSecretContext } from '../pos/target.js';
import { problem } from '../problem.js';
import { SecretBox } from '../secret-box.js';
import type { CreateRestaurantDto, RestaurantView } from './restaurants.dto.js';

/** FOR WHOM: restaurants and what the relay must know of them. */
@Injectable()
export class RestaurantsService {
  constructor(
    private readonly prisma: Prisma,
    private readonly box: SecretBox,
  ) {}

  /**
   * Creates a restaurant and links its creator as OWNER, both or neither.
   * @throws 409 when the slug or the terminal's store code is taken
   */
  async create(userId: string, { slug, posSecret, ...fields }: CreateRestaurantDto): Promise<RestaurantView> {
    const id = randomUUID();
    const data = {
      ...fields,
      id,
      posSecret: posSecret ? this.box.close(posSecret, posSecretContext(id)) : null,
      users: { create: { userId, role: 'OWNER' as const } },
    };
    const made = slug ?? slugOf(fields.name);
    try {
      return view(await this.prisma.restaurant.create({ data: { ...data, slug: made } }));
    } catch (error) {
      // nobody typed this slug, so nobody can be asked to change it
      if (slug || !uniqueViolation(error)?.constraint.includes('slug')) throw error;
      return view(
        await this.prisma.restaurant.create({ data: { ...data, slug: `${made}-${randomBytes(3).toString('hex')}` } }),
      );
    }
  }
}

/** `Pizzeria São João` -> `pizzeria-sao-joao`. @throws 400 when the name gives none */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, '');
  if (slug.length >= 3) return slug;
  throw problem(HttpStatus.BAD_REQUEST, 'VALIDATION_FAILED', ['slug is required: none can be made from this name']);
}

function view({ posSecret, deletedAt: _, ...restaurant }: Restaurant): RestaurantView {
  return { ...restaurant, hasPosSecret: posSecret !== null };
}
