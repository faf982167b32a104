(* Finite sums of reals over lists: what the other files need of them. *)
From Coq Require Import Reals List Lra Permutation.
Import ListNotations.
Open Scope R_scope.

Definition sum {A : Type} (f : A -> R) (l : list A) : R := fold_right (fun a s => f a + s) 0 l.

Section Sums.
  Context {A : Type}.
  Implicit Types (f g : A -> R) (l : list A).

  Lemma sum_cons f a l : sum f (a :: l) = f a + sum f l.
  Proof. reflexivity. Qed.

  Lemma sum_app f l m : sum f (l ++ m) = sum f l + sum f m.
  Proof. induction l as [|a l IH]; cbn [app]; [cbn|rewrite !sum_cons, IH]; lra. Qed.

  Lemma sum_nil f : sum f [] = 0.
  Proof. reflexivity. Qed.

  Lemma sum_le f g l : (forall a, In a l -> f a <= g a) -> sum f l <= sum g l.
  Proof.
    induction l as [|a l IH]; intros H; [cbn; lra|]. rewrite !sum_cons.
    pose proof (H a (or_introl eq_refl)). assert (sum f l <= sum g l) by (apply IH; intros; apply H; now right). lra.
  Qed.

  Lemma sum_ext f g l : (forall a, In a l -> f a = g a) -> sum f l = sum g l.
  Proof. intros H; apply Rle_antisym; apply sum_le; intros a Ha; rewrite (H a Ha); lra. Qed.

  Lemma sum_zero f l : (forall a, In a l -> f a = 0) -> sum f l = 0.
  Proof.
    induction l as [|a l IH]; intros H; [reflexivity|].
    rewrite sum_cons, IH, (H a (or_introl eq_refl)); [lra|]. intros b Hb; apply H; now right.
  Qed.

  Lemma sum_nonneg f l : (forall a, In a l -> 0 <= f a) -> 0 <= sum f l.
  Proof. intros H. rewrite <- (sum_zero (fun _ => 0) l) by reflexivity. now apply sum_le. Qed.

  Lemma sum_scale c f l : sum (fun a => c * f a) l = c * sum f l.
  Proof. induction l as [|a l IH]; [cbn; lra|]. rewrite !sum_cons, IH. lra. Qed.

  Lemma sum_plus f g l : sum (fun a => f a + g a) l = sum f l + sum g l.
  Proof. induction l as [|a l IH]; [cbn; lra|]. rewrite !sum_cons, IH. lra. Qed.

  Lemma sum_const c l : sum (fun _ => c) l = INR (length l) * c.
  Proof.
    induction l as [|a l IH]; [cbn; lra|]. rewrite sum_cons, IH. change (length (a :: l)) with (S (length l)).
    rewrite S_INR. lra.
  Qed.

  Lemma sum_perm f l m : Permutation l m -> sum f l = sum f m.
  Proof. induction 1; cbn in *; unfold sum in *; lra. Qed.

  (* A set counts at most what a larger one does. *)
  Lemma sum_incl f l m :
    NoDup l -> incl l m -> (forall a, In a m -> 0 <= f a) -> sum f l <= sum f m.
  Proof.
    revert m. induction l as [|a l IH]; intros m Hd Hi Hf; [now apply sum_nonneg|].
    inversion Hd as [|? ? Ha Hl]; subst.
    destruct (in_split a m (Hi a (or_introl eq_refl))) as (m1 & m2 & ->).
    rewrite sum_app, !sum_cons. assert (Hs : sum f l <= sum f (m1 ++ m2)).
    { apply IH; auto.
      - intros b Hb. assert (Hb' : In b (m1 ++ a :: m2)) by (apply Hi; now right).
        apply in_app_or in Hb'. apply in_or_app. destruct Hb' as [|[->|]]; auto. contradiction.
      - intros b Hb. apply Hf. apply in_app_or in Hb. apply in_or_app. cbn. tauto. }
    rewrite sum_app in Hs. lra.
  Qed.

  Lemma sum_mem f l a : In a l -> (forall b, In b l -> 0 <= f b) -> f a <= sum f l.
  Proof.
    intros Ha Hf. replace (f a) with (sum f [a]) by (cbn; lra). apply sum_incl; auto.
    - constructor; [easy|constructor].
    - now intros b [->|[]].
  Qed.
End Sums.

Lemma sum_swap {A B : Type} (f : A -> B -> R) (l : list A) (m : list B) :
  sum (fun a => sum (f a) m) l = sum (fun b => sum (fun a => f a b) l) m.
Proof.
  induction l as [|a l IH].
  - cbn. symmetry. now apply sum_zero.
  - rewrite sum_cons, IH, <- sum_plus. apply sum_ext. intros b _. now rewrite sum_cons.
Qed.

(* What belongs to a key, and the sum over all keys. *)
Lemma sum_filter {A : Type} (f : A -> R) (b : A -> bool) (l : list A) :
  sum f (filter b l) = sum (fun a => if b a then f a else 0) l.
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [filter]. rewrite sum_cons, <- IH.
  destruct (b a); [reflexivity|lra].
Qed.

Lemma sum_one {A : Type} (dec : forall x y : A, {x = y} + {x <> y}) (f : A -> R) (l : list A) (a : A) :
  NoDup l -> In a l -> sum (fun b => if dec a b then f b else 0) l = f a.
Proof.
  induction l as [|b l IH]; intros Hd Ha; [easy|]. inversion Hd as [|? ? Hb Hl]; subst. rewrite sum_cons.
  destruct (dec a b) as [->|Hne].
  - rewrite sum_zero; [lra|]. intros c Hc. destruct (dec b c) as [->|_]; [easy|reflexivity].
  - destruct Ha as [->|Ha]; [easy|]. rewrite IH by easy. lra.
Qed.

Lemma sum_by_key {A K : Type} (dec : forall x y : K, {x = y} + {x <> y}) (key : A -> K) (f : A -> R) l keys :
  NoDup keys -> (forall a, In a l -> In (key a) keys) ->
  sum f l = sum (fun k => sum (fun a => if dec (key a) k then f a else 0) l) keys.
Proof.
  intros Hd Hk. rewrite sum_swap. apply sum_ext. intros a Ha.
  symmetry. apply (sum_one dec (fun _ => f a)); auto.
Qed.

Lemma sum_map {A B : Type} (f : B -> R) (g : A -> B) (l : list A) : sum f (map g l) = sum (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [map]. now rewrite !sum_cons, IH. Qed.

Lemma sum_pairs {A B C : Type} (f : C -> R) (g : A -> B -> C) (l : list A) (m : list B) :
  sum f (flat_map (fun a => map (g a) m) l) = sum (fun a => sum (fun b => f (g a b)) m) l.
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [flat_map]. now rewrite sum_app, sum_map, IH, sum_cons.
Qed.
