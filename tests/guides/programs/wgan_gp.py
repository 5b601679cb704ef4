import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(1)
disc = keras.Sequential(
    [keras.Input((2,)), layers.Dense(8), layers.LeakyReLU(negative_slope=0.2), layers.Dense(1)],
    name="discriminator",
)
gen = keras.Sequential(
    [
        keras.Input((3,)),
        layers.Dense(8, use_bias=False),
        layers.BatchNormalization(),
        layers.LeakyReLU(0.2),
        layers.Dense(2),
    ],
    name="generator",
)


class WGAN(keras.Model):
    def __init__(
        self, discriminator, generator, latent_dim, discriminator_extra_steps=2, gp_weight=10.0
    ):
        super().__init__()
        self.discriminator = discriminator
        self.generator = generator
        self.latent_dim = latent_dim
        self.d_steps = discriminator_extra_steps
        self.gp_weight = gp_weight

    def compile(self, d_optimizer, g_optimizer, d_loss_fn, g_loss_fn):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer
        self.d_loss_fn = d_loss_fn
        self.g_loss_fn = g_loss_fn

    def gradient_penalty(self, batch_size, real_images, fake_images):
        alpha = tf.random.stateless_uniform([batch_size, 1], seed=[3, 0])
        interpolated = real_images + alpha * (fake_images - real_images)
        with tf.GradientTape() as gp_tape:
            gp_tape.watch(interpolated)
            pred = self.discriminator(interpolated, training=True)
        grads = gp_tape.gradient(pred, [interpolated])[0]
        norm = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=[1]))
        return tf.reduce_mean((norm - 1.0) ** 2)

    def train_step(self, real_images):
        if isinstance(real_images, tuple):
            real_images = real_images[0]
        batch_size = tf.shape(real_images)[0]
        for i in range(self.d_steps):
            z = tf.random.stateless_normal(shape=(batch_size, self.latent_dim), seed=[4, 0])
            with tf.GradientTape() as tape:
                fake = self.generator(z, training=True)
                fake_logits = self.discriminator(fake, training=True)
                real_logits = self.discriminator(real_images, training=True)
                d_cost = self.d_loss_fn(real_img=real_logits, fake_img=fake_logits)
                gp = self.gradient_penalty(batch_size, real_images, fake)
                d_loss = d_cost + gp * self.gp_weight
            d_gradient = tape.gradient(d_loss, self.discriminator.trainable_variables)
            self.d_optimizer.apply_gradients(
                zip(d_gradient, self.discriminator.trainable_variables)
            )
        z = tf.random.stateless_normal(shape=(batch_size, self.latent_dim), seed=[4, 0])
        with tf.GradientTape() as tape:
            g_loss = self.g_loss_fn(
                self.discriminator(self.generator(z, training=True), training=True)
            )
        gen_gradient = tape.gradient(g_loss, self.generator.trainable_variables)
        self.g_optimizer.apply_gradients(zip(gen_gradient, self.generator.trainable_variables))
        return {"d_loss": d_loss, "g_loss": g_loss}


class Monitor(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print("epoch", epoch, {k: round(float(v), 3) for k, v in logs.items()})


def discriminator_loss(real_img, fake_img):
    return tf.reduce_mean(fake_img) - tf.reduce_mean(real_img)


def generator_loss(fake_img):
    return -tf.reduce_mean(fake_img)


wgan = WGAN(disc, gen, 3)
wgan.compile(
    keras.optimizers.Adam(0.01, beta_1=0.5, beta_2=0.9),
    keras.optimizers.Adam(0.01, beta_1=0.5, beta_2=0.9),
    discriminator_loss,
    generator_loss,
)
real = np.random.RandomState(0).normal(size=(32, 2)).astype("float32") + 2
wgan.fit(real, batch_size=16, epochs=2, shuffle=False, verbose=0, callbacks=[Monitor()])
print(sum(float(tf.reduce_sum(tf.abs(w))) for w in wgan.trainable_weights), len(wgan.weights))
