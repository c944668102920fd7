// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Follower, placeFor } from '../../static/follow.js';

/** A box 100 high over content of 1000, with a word every 20. */
class FakeBox {
  clientHeight = 100;
  scrollHeight = 1000;
  clientTop = 0;
  #top = 0;
  /** @type {() => void} */
  onScroll = () => {};

  get scrollTop() {
    return this.#top;
  }

  set scrollTop(top) {
    this.#top = Math.min(Math.max(0, top), this.scrollHeight - this.clientHeight);
  }

  /** @param {string} _type @param {() => void} listener */
  addEventListener(_type, listener) {
    this.onScroll = listener;
  }

  getBoundingClientRect() {
    return { top: 50, bottom: 150 };
  }

  /** @param {number} top */
  word(top) {
    return { getBoundingClientRect: () => ({ top: 50 + top - this.#top, bottom: 70 + top - this.#top }) };
  }

  /** @param {number} top - where a person scrolls to */
  turn(top) {
    this.scrollTop = top;
    this.onScroll();
  }
}

function followed(calm = true) {
  const box = new FakeBox();
  const follower = new Follower(/** @type {any} */ (box), { matches: calm });
  const hear = (/** @type {number} */ top) => {
    follower.follow(/** @type {any} */ (box.word(top)));
    box.onScroll();
  };
  return { box, follower, hear };
}

test('what is in view stays where it is, and what is not comes into the upper part of the box', () => {
  const box = { scrollTop: 200, clientHeight: 100, scrollHeight: 1000 };
  assert.equal(placeFor({ top: 200, bottom: 300 }, box), null);
  assert.equal(placeFor({ top: 290, bottom: 310 }, box), 260);
  assert.equal(placeFor({ top: 10, bottom: 30 }, box), 0);
  assert.equal(placeFor({ top: 980, bottom: 1000 }, box), 900);
});

test('the word being heard is kept in view', () => {
  const { box, hear } = followed();
  for (let top = 0; top < 1000; top += 20) {
    hear(top);
    assert.ok(top >= box.scrollTop && top + 20 <= box.scrollTop + box.clientHeight, String(top));
  }
});

test('without a wish for calm the box glides there, and arrives', () => {
  const { box, hear } = followed(false);
  hear(500);
  assert.ok(box.scrollTop > 0 && box.scrollTop < 470);
  for (let frame = 0; frame < 60; frame += 1) hear(500);
  assert.equal(box.scrollTop, 470);
});

test('who scrolls away is left alone, until what is heard comes into view there', () => {
  const { box, hear } = followed();
  hear(500);
  box.turn(0);
  hear(520);
  assert.equal(box.scrollTop, 0);
  box.turn(600);
  hear(540);
  assert.equal(box.scrollTop, 600);
  hear(620);
  hear(740);
  assert.equal(box.scrollTop, 710);
});

test('who scrolls while the box glides stops it', () => {
  const { box, hear } = followed(false);
  hear(500);
  box.turn(20);
  for (let frame = 0; frame < 60; frame += 1) hear(500);
  assert.equal(box.scrollTop, 20);
});

test('something new is followed, whatever was done before', () => {
  const { box, follower, hear } = followed();
  hear(500);
  box.turn(0);
  follower.restart();
  hear(300);
  assert.equal(box.scrollTop, 270);
  follower.toEnd();
  assert.equal(box.scrollTop, 900);
});

test('where everything fits nothing moves', () => {
  const { box, hear } = followed();
  box.scrollHeight = 100;
  hear(500);
  assert.equal(box.scrollTop, 0);
});
