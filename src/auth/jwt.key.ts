import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';

/** The key (JWT_SECRET) and the algorithm that sign and verify every JWT (A2). */
@Injectable()
export class JwtKey {
  readonly algorithm = 'HS256';
  /** a KeyObject: jsonwebtoken would try to parse a string as PEM for every request */
  readonly secret: KeyObject;

  constructor({ jwtSecret }: Config) {
    this.secret = createSecretKey(jwtSecret, 'utf8');
  }
}
