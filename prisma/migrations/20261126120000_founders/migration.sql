-- The restaurants of one founder take turns as one (O44). Those of before, and those of instances of the version before, count each for itself.
ALTER TABLE restaurants ADD COLUMN founded_by UUID;
