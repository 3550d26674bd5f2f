-- How many sales a restaurant had in an hour, counted after the hour (G60). The hour is a point in time, so that it stands when the timezone of the
-- restaurant changes. Removed by the hour, which is first in the key.
CREATE TABLE "sale_hours" (
    "restaurant_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "sales" INTEGER NOT NULL,

    CONSTRAINT "sale_hours_pkey" PRIMARY KEY ("hour", "restaurant_id"),
    CONSTRAINT "sale_hours_sales_positive" CHECK (sales > 0)
);

-- What the hours of a restaurant say: until when they are counted, and whether its sales have stopped (G59). A table of its own: the row of the
-- restaurant is read on the road of each order.
CREATE TABLE "sale_rhythms" (
    "restaurant_id" UUID NOT NULL,
    "counted_until" TIMESTAMPTZ(3) NOT NULL,
    "first_hour" TIMESTAMPTZ(3),
    "usual_hour" TIMESTAMPTZ(3),
    "silent_since" TIMESTAMPTZ(3),

    CONSTRAINT "sale_rhythms_pkey" PRIMARY KEY ("restaurant_id")
);

ALTER TABLE "sale_hours" ADD CONSTRAINT "sale_hours_restaurant_id_fkey" FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "sale_rhythms" ADD CONSTRAINT "sale_rhythms_restaurant_id_fkey" FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;
