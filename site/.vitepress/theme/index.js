// SPDX-License-Identifier: Apache-2.0
import {useData} from 'vitepress';
import Theme from 'vitepress/theme-without-fonts';
import {defineAsyncComponent, h, watch} from 'vue';
import BenchmarkTable from './components/BenchmarkTable.vue';
import DecoderFrame from './components/DecoderFrame.vue';
import HomeHero from './components/HomeHero.vue';
import LiveExample from './components/LiveExample.vue';
import TryIt from './components/TryIt.vue';
import './style.css';

export default {
  extends: Theme,
  Layout: {
    setup() {
      // The demo stores its theme in the same storage under another name.
      const {isDark} = useData();
      if (!import.meta.env.SSR) {
        watch(isDark, (dark) => localStorage.setItem('theme', dark ? 'dark' : 'light'));
      }
      return () => h(Theme.Layout);
    },
  },
  /** @param {{app: import('vue').App}} context */
  enhanceApp({app}) {
    for (const [name, component] of Object.entries({BenchmarkTable, DecoderFrame, HomeHero, LiveExample, TryIt})) {
      app.component(name, component);
    }
    app.component('PlayGround', defineAsyncComponent(() => import('../playground/PlayGround.vue')));
  },
};
