-- The restaurants that an alert of the platform covers (G55, G57); once it is acknowledged, those that were in it then.
ALTER TABLE "alerts" ADD COLUMN "members" UUID[];
