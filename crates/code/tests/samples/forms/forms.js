#!/usr/bin/env node
'use strict'
const fs = require('fs')
const { join: j, sep } = require("path")

module.exports = function (a, b) { return a / b / 2 }
module.exports.helper = helper
exports.arrow = x => x
exports.a = exports.b = async function* () {}

function* generator() { yield /re[/]x/ }
async function helper () {
  var self = this, inner = function () {}
  return { done: true, next() { return inner } }
}

class Cart extends (Base || Other) {
  @observable items = []
  static count = 0
  #secret = () => 1
  @action.bound
  /** Adds. */
  add (item) { return this.#secret() }
  static async *all() {}
  'quoted'() {}
  42() {}
}

var tag = html`<a href=${() => { const x = 1 }}>${[1].map(n => html`<b>${n}</b>`)}</a>`
let a = 1
let b = a
++b
const view = <div className="x">{a > 1 ? <b/> : null} it's text</div>

export default class extends Cart { total() {} }
export const lazy = () => import('./lazy')
;[1, 2].forEach(function each() {})
if (a) b = function () {}
else c = () => {}
do { var looped = 1 } while (a)
var obj = { get: function () {}, set: 1, static: () => 1, if: () => 2, function: 3 }
var ternary = a ? b = function () {} : c
for (var k in obj) var each = 1
